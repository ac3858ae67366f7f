/* What of a motion is passed on: a picture, a poster, a series of pictures in a ZIP file, a film (WebM). */
(function () {
  "use strict";

  const { element, save } = window.mbopt_common;
  const RATE = 25; /* pictures of a series for each second that is shown */
  const PICTURES_MAX = 500;

  /* CRC-32 as of ZIP files [ISO/IEC 13239]. */
  const table = Uint32Array.from({ length: 256 }, (_, i) => {
    let c = i;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c;
  });
  const crcOf = (bytes) => (bytes.reduce((c, b) => table[(c ^ b) & 255] ^ (c >>> 8), 0xffffffff) ^ 0xffffffff) >>> 0;

  /* Numbers [value, bytes] little-endian. */
  function packed(list) {
    const bytes = new Uint8Array(list.reduce((n, [, size]) => n + size, 0));
    let at = 0;
    list.forEach(([v, size]) => {
      for (let k = 0; k < size; k++) bytes[at++] = Math.floor(v / 256 ** k) & 255;
    });
    return bytes;
  }

  /* A ZIP file of [{ name, bytes }], which stores them as they are: pictures are compressed already. */
  function zipOf(files) {
    const parts = [];
    const directory = [];
    let at = 0;
    files.forEach(({ name, bytes }) => {
      const letters = new TextEncoder().encode(name);
      const about = [[20, 2], [0, 2], [0, 2], [0, 2], [33, 2], [crcOf(bytes), 4], [bytes.length, 4], [bytes.length, 4], [letters.length, 2], [0, 2]];
      directory.push(packed([[0x02014b50, 4], [20, 2], ...about, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]]), letters);
      const head = packed([[0x04034b50, 4], ...about]);
      parts.push(head, letters, bytes);
      at += head.length + letters.length + bytes.length;
    });
    const size = directory.reduce((n, d) => n + d.length, 0);
    const end = packed([[0x06054b50, 4], [0, 4], [files.length, 2], [files.length, 2], [size, 4], [at, 4], [0, 2]]);
    return new Blob([...parts, ...directory, end], { type: "application/zip" });
  }

  const pngOf = (canvas) => new Promise((done) => canvas.toBlob(done, "image/png"));

  /* motion: { duration(), speed(), shot(time, sharp, times) }: a shot is a canvas with the motion at a time, `sharp` pixels for one of the
   * screen, and faintly at other times. Returns the controls. */
  window.mbopt_share = function (motion) {
    const told = element("output");
    const buttons = [];
    const button = (text, title, act) => {
      const b = element("button", { type: "button", textContent: text, title });
      b.addEventListener("click", async () => {
        buttons.forEach((other) => (other.disabled = true));
        told.textContent = await act().then(() => "", (e) => `not saved: ${e.message}`);
        buttons.forEach((other) => (other.disabled = false));
      });
      buttons.push(b);
    };
    const seconds = () => motion.duration() / motion.speed();
    const times = (n) => Array.from({ length: n }, (_, k) => (motion.duration() * k) / (n - 1));

    async function series() {
      const n = Math.max(2, Math.min(PICTURES_MAX, Math.ceil(RATE * seconds()) + 1));
      const files = [];
      for (const time of times(n)) {
        told.textContent = `${files.length + 1} of ${n}`;
        const png = await pngOf(motion.shot(time, 1));
        files.push({ name: `${String(files.length).padStart(4, "0")}.png`, bytes: new Uint8Array(await png.arrayBuffer()) });
      }
      return zipOf(files);
    }

    /* As it is played: the browser records the canvas for as long as the motion is shown. */
    function film() {
      return new Promise((done, failed) => {
        const canvas = motion.shot(0, 1);
        const context = canvas.getContext("2d");
        const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
        const pieces = [];
        let begun = null;
        recorder.ondataavailable = (e) => pieces.push(e.data);
        recorder.onerror = (e) => failed(e.error);
        recorder.onstop = () => done(new Blob(pieces, { type: "video/webm" }));
        const step = (now) => {
          begun = begun === null ? now : begun;
          const time = ((now - begun) / 1000) * motion.speed();
          context.drawImage(motion.shot(Math.min(time, motion.duration()), 1), 0, 0);
          told.textContent = `${((now - begun) / 1000).toFixed(0)} of ${seconds().toFixed(0)} s`;
          if (time < motion.duration()) requestAnimationFrame(step);
          else recorder.stop();
        };
        recorder.start();
        requestAnimationFrame(step);
      });
    }

    button("Picture", "The motion as it is shown now, as PNG", async () => save("motion.png", await pngOf(motion.shot(null, 2))));
    button("Poster", "The motion at ten times in one large picture, as PNG", async () => save("poster.png", await pngOf(motion.shot(null, 4, times(10)))));
    button("Series", "A picture for each twenty-fifth of a second that is shown, as PNG in a ZIP file", async () => save("motion.zip", await series()));
    if (window.MediaRecorder && HTMLCanvasElement.prototype.captureStream && MediaRecorder.isTypeSupported("video/webm")) {
      button("Film", "The whole motion at the chosen speed, recorded as it is shown, as WebM", async () => save("motion.webm", await film()));
    }
    const box = element("details", { className: "mbs-share" }, [element("summary", { textContent: "Save" }), ...buttons, told]);
    return { box, series, film, zipOf, crcOf };
  };
})();
