// The page as fixed names in dist/, the same bytes every time, with the licences of what is in it.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

const ROOT = import.meta.dirname;

/** The packages whose files went into the bundle, each with its licence text. */
function licences() {
  return {
    name: "licences",
    generateBundle(_options, bundle) {
      const names = new Set();
      for (const chunk of Object.values(bundle)) {
        for (const id of Object.keys(chunk.modules ?? {})) {
          const inside = id.split("/node_modules/").pop();
          if (inside !== id) names.add(inside.split("/").slice(0, inside.startsWith("@") ? 2 : 1).join("/"));
        }
      }
      const texts = [...names].sort().map((name) => {
        const folder = join(ROOT, "node_modules", name);
        const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const file = readdirSync(folder).find((entry) => /^licen[sc]e/i.test(entry));
        if (!file || !existsSync(join(folder, file))) throw new Error(`${name} has no licence file`);
        const text = readFileSync(join(folder, file), "utf8").trim();
        return `${name} ${about.version} (${about.license})\n\n${text}\n`;
      });
      this.emitFile({ type: "asset", fileName: "licenses.txt", source: texts.join("\n" + "-".repeat(72) + "\n\n") });
    },
  };
}

/** Of the typefaces of KaTeX only the format that every browser of today reads. */
function smallFonts() {
  return {
    name: "small-fonts",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith("katex.min.css")) return null;
      return code.replace(/,url\([^)]*\.(woff|ttf)\) format\("(woff|truetype)"\)/g, "");
    },
  };
}

export default defineConfig({
  root: ROOT,
  base: "/",
  plugins: [smallFonts(), licences()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    modulePreload: false,
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
    rollupOptions: {
      output: {
        entryFileNames: "assets/studio.js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
});
