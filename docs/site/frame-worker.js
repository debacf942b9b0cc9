// Browsers start no worker for a page of file://, so there the search runs in a hidden frame.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const scope = (this.scope = frame.contentWindow);
      const load = (source) =>
        new Promise((done) => {
          const script = frame.contentDocument.createElement("script");
          script.onload = script.onerror = done;
          script.src = source;
          frame.contentDocument.body.append(script);
        });
      scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      // Load in the order of the list, because a script may need the one before it.
      scope.importScripts = (...sources) => sources.reduce((last, next) => last.then(() => load(next)), Promise.resolve());
      this.ready = load(new URL(url, document.baseURI).href);
    }
    postMessage(data) {
      this.ready.then(() => this.scope.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {}
  };
  window.Worker = window.IFrameWorker;
}
