"""What Planet promises publishers, each promise a line of data, and a runner that holds it to them.

A scenario (`notation.Scenario`) says what servers answer and which requests they must then see, and
when. `runner.play` brings it to life: servers on loopback (`publishers`), a state folder, a cron
whose clock the test moves, and runs that go as `planet fetch` does. `expectations` compares what
arrived with what the scenario expects; `invariants` are held against every request of all of them.
docs/politeness.md has the rules in words for publishers.

    scenarios/  the data, a module for each theme
    answers     what a server says
    bodies      the documents it sends
    notation    what the planet is like, and what it must ask
"""
