/* The program in a Worker, for pages that hold it packed by gzip in base64:
 *   mbopt_engine_of({ program, wasm: texts, work, opening, failed }) -> { begin, ask, anew }
 *   work                  a function that runs in the Worker, after the program. It gets load(wasm): a promise of the engine, and returns the acts: functions of
 *                         what ask() sends, and of a function that each() below is called by. A promise is waited for.
 *   begin()               starts it; a promise of what the act "open" returns, which gets { wasm, ...opening() }
 *   ask(act, more, each)  a promise of what the act returns; acts run one after the other. It fails with an Error that is `broken` if the engine is, after which
 *                         anew() is to be called, and `ended` if anew() has been called.
 *   anew(why)             ends all that is asked, with this reason, and begins again
 *   failed(text)          hears that it cannot begin again
 * mbopt_unpacked(text) is a promise of the bytes of such a text. */
(function () {
  "use strict";

  /* In the Worker. What is no failure of the program, as where memory ends, may have left it broken. */
  function serve(acts) {
    const answer = async ({ id, act, ...more }) => {
      try {
        self.postMessage({ id, done: await acts[act](more, (...told) => self.postMessage({ id, told })) });
      } catch (e) {
        self.postMessage({ id, failed: e.message || String(e), broken: !(self.mbopt && e instanceof self.mbopt.Failure) });
      }
    };
    let last = Promise.resolve(); /* "open" takes a while */
    self.onmessage = ({ data }) => (last = last.then(() => answer(data)));
  }

  window.mbopt_unpacked = async (base64) => {
    if (typeof WebAssembly === "undefined" || typeof DecompressionStream === "undefined") {
      throw new Error("this browser has no WebAssembly or cannot unpack (DecompressionStream): the page needs a newer one");
    }
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  };

  window.mbopt_engine_of = function ({ program, wasm, work, opening, failed }) {
    let worker = null;
    let waiting = new Map();
    let count = 0;
    let source = null;
    let bytes = null;

    function ask(act, more, each) {
      return new Promise((resolve, reject) => {
        waiting.set(++count, { resolve, reject, each });
        worker.postMessage({ ...more, id: count, act });
      });
    }
    async function begin() {
      source = source || URL.createObjectURL(new Blob([await window.mbopt_unpacked(program), `\n(${serve})((${work})());\n`], { type: "text/javascript" }));
      bytes = bytes || (await window.mbopt_unpacked(wasm));
      worker = new Worker(source);
      worker.onmessage = ({ data: { id, done, failed: why, broken, told } }) => {
        const w = waiting.get(id);
        if (!w) return;
        if (told) return w.each(...told);
        waiting.delete(id);
        if (why === undefined) w.resolve(done);
        else w.reject(Object.assign(new Error(why), { broken }));
      };
      worker.onerror = (e) => {
        e.preventDefault();
        anew(`the engine has stopped: ${e.message}`);
      };
      return ask("open", { wasm: bytes, ...opening() });
    }
    function anew(why) {
      if (worker) worker.terminate();
      const left = waiting;
      waiting = new Map();
      left.forEach((w) => w.reject(Object.assign(new Error(why), { ended: true })));
      return begin().catch((e) => e.ended || failed(e.message));
    }
    return { begin, ask, anew };
  };
})();
