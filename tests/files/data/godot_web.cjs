// Runs a project in Godot without a window: node godot_web.cjs FOLDER_OF_THE_ENGINE PROJECT.pck
// The engine is a build for browsers, which is given as much of one as it asks for.
const fs = require("fs"), path = require("path"), vm = require("vm");
const [engine, pack] = process.argv.slice(2), own = process, nothing = () => {};
class Element {
    constructor() { Object.assign(this, { style: {}, tabIndex: 0, width: 64, height: 64, classList: { add: nothing, remove: nothing } }); }
    getBoundingClientRect() { return { x: 0, y: 0, width: 64, height: 64, left: 0, top: 0 }; }
    getContext() { return null; }
    querySelector() { return null; }
}
for (const name of ["addEventListener", "removeEventListener", "appendChild", "removeChild", "insertBefore", "setAttribute", "getAttribute", "focus", "blur", "remove"])
    Element.prototype[name] = nothing;
const here = "file://" + path.resolve(engine);
const given = {
    HTMLCanvasElement: Element, HTMLElement: Element, window: globalThis, self: globalThis,
    document: Object.assign(new Element(), {
        createElement: () => new Element(), getElementById: () => null, getElementsByTagName: () => [], body: new Element(),
        head: new Element(), documentElement: new Element(), currentScript: { src: here + "/index.js" },
        visibilityState: "visible", hasFocus: () => true,
    }),
    navigator: {
        userAgent: "node", platform: "Linux", language: "en", languages: ["en"], hardwareConcurrency: 1, vendor: "",
        maxTouchPoints: 0, getGamepads: () => [], mediaDevices: {}, permissions: { query: async () => ({ state: "denied" }) },
    },
    location: { href: here + "/index.html", pathname: "/index.html", origin: "file://", search: "", hostname: "", protocol: "file:" },
    requestAnimationFrame: call => setTimeout(() => call(performance.now()), 0), cancelAnimationFrame: clearTimeout,
    matchMedia: () => ({ matches: false, addEventListener: nothing, removeEventListener: nothing }),
    addEventListener: nothing, removeEventListener: nothing, alert: console.error, devicePixelRatio: 1,
    screen: { width: 64, height: 64, orientation: {} }, innerWidth: 64, innerHeight: 64, localStorage: {}, indexedDB: undefined,
};
for (const [name, value] of Object.entries(given)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
own.type = "renderer"; // so that it does not take this for node
const text = fs.readFileSync(engine + "/index.js", "utf8").replace('typeof process!=="undefined"&&process.versions?.node', "false");
const fail = error => { console.error(String(error && error.stack || error).slice(0, 2000)); own.exit(99); };
own.on("uncaughtException", fail);
vm.runInThisContext(text + "\n;Godot")({
    print: line => fs.writeSync(1, line + "\n"), printErr: line => fs.writeSync(2, line + "\n"), thisProgram: "godot",
    noExitRuntime: false, dynamicLibraries: [], emscriptenPoolSize: 0, locateFile: name => engine + "/" + name,
    instantiateWasm: (imports, done) => {
        WebAssembly.instantiate(fs.readFileSync(engine + "/index.wasm"), imports).then(made => done(made.instance, made.module));
        return {};
    },
}).then(async godot => {
    godot.initConfig({
        canvas: new Element(), canvasResizePolicy: 0, locale: "en", persistentDrops: false, virtualKeyboard: false, godotPoolSize: 0,
        focusCanvas: false, onExecute: nothing, onExit: status => own.exit(status),
    });
    await godot.initFS([]);
    godot.copyToFS("project.pck", fs.readFileSync(pack));
    godot.callMain(["--headless", "--audio-driver", "Dummy", "--main-pack", "project.pck"]);
}).catch(fail);
