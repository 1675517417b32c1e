// check-reports.mjs WORK CHROMIUM SCREENSHOTS FULL_SCHEMA: what npm's validators and a browser make of
// the reports in WORK.
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const Draft04 = require("ajv-draft-04");
const Draft07 = require("ajv");
const Draft2020 = require("ajv/dist/2020");
const formats = require("ajv-formats");
const { chromium } = require("playwright-core");

const [work, browserPath, screenshots, fullSchema] = process.argv.slice(2);
const read = (path) => JSON.parse(fs.readFileSync(path, "utf8"));
const runs = ["slugs", "hostile", "large"];

const validator = (Ajv, schema) => {
  // A pattern of the SARIF schema is none with the flag `u`.
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  formats(ajv);
  return ajv.compile(schema);
};
const inPackage = (name, path) => read(new URL(`node_modules/${name}/${path}`, import.meta.url));
const schemas = {
  json: validator(Draft07, inPackage("mutation-testing-report-schema", "dist/src/mutation-testing-report-schema.json")),
  sarif: validator(Draft04, inPackage("@microsoft/jest-sarif", "lib/schemas/sarif-2.1.0-rtm.5.json")),
  "full-json": validator(Draft2020, read(fullSchema)),
};
for (const [format, valid] of Object.entries(schemas)) {
  // A validator that accepts everything would hide every fault.
  assert(!valid({ version: "none" }), `the schema of ${format} refuses nothing`);
  for (const run of runs) {
    const ok = valid(read(`${work}/${run}/report.${format}`));
    assert(ok, `${run} ${format}: ${JSON.stringify(valid.errors?.slice(0, 3))}`);
  }
}
console.log(`valid: ${Object.keys(schemas).join(", ")} of ${runs.length} runs`);

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const grounds = new Set();
for (const run of runs) {
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const faults = [];
    page.on("console", (message) => faults.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("dialog", (dialog) => faults.push(`dialog: ${dialog.message()}`));
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) faults.push(`request: ${request.url()}`);
    });
    const began = performance.now();
    await page.goto(`file://${work}/${run}/report.html`);
    await page.locator("mte-metrics-table").first().waitFor();
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const report = read(`${work}/${run}/report.json`);
    const mutants = Object.values(report.files).flatMap((file) => file.mutants);
    const survivors = mutants.filter((mutant) => mutant.status === "Survived");
    const text = await page.locator("#survivors").textContent();
    assert.equal(text, `Survivors: ${survivors.length}`);
    assert.equal(await page.locator("a[data-mutant]").count(), Math.min(survivors.length, 300));
    await page.screenshot({ path: `${screenshots}/${run}-${colorScheme}.png` });

    // A click opens the file at the mutant.
    const links = [page.locator("a[data-mutant]").last()];
    if (run === "hostile") links.unshift(page.locator('a[data-path^="=x"]').first());
    for (const link of links) {
      const id = await link.getAttribute("data-mutant");
      await link.click();
      const dot = page.locator(`svg.mutant-dot.selected[data-mutant-id="${id}"]`);
      await dot.waitFor();
      const box = await dot.boundingBox();
      assert(box.y >= 0 && box.y <= 900, `${id} is not in sight: ${JSON.stringify(box)}`);
    }
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${screenshots}/${run}-${colorScheme}-open.png` });

    // A filter shows the killed ones too.
    const dots = page.locator("svg.mutant-dot");
    const before = await dots.count();
    await page.locator("mte-state-filter label", { hasText: "Killed" }).click();
    await page.waitForFunction((count) => {
      const all = (root) => [...root.querySelectorAll("*")].flatMap((e) => (e.shadowRoot ? all(e.shadowRoot) : []).concat(e.matches("svg.mutant-dot") ? [e] : []));
      return all(document).length > count;
    }, before);
    assert.deepEqual(faults, []);
    grounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    console.log(`${run}, ${colorScheme}: opens in ${seconds} s, ${survivors.length} survivors`);
    await context.close();
  }
}
assert.equal(grounds.size, 2, "light and dark differ");
await browser.close();
