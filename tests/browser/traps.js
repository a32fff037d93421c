// Runs in every document before anything else: says what a script calls, and does nothing.
// `caught` is given by the protocol, and ends in the ears of the test.
{
  const report = window.caught;
  const trap = (name) => function () { report(name); };
  const traps = [
    "alert", "confirm", "prompt", "print", "open", "close", "stop", "eval", "Function", "fetch",
    "XMLHttpRequest", "WebSocket", "EventSource", "Worker", "SharedWorker", "RTCPeerConnection",
    "postMessage", "find", "moveTo", "resizeTo",
  ];
  for (const name of traps) window[name] = trap(name);
  navigator.sendBeacon = trap("sendBeacon");
}
