// What the functions saw, read by the suite over HTTP: in a file, which outlives a worker but not its host.
const { appendFileSync, existsSync, readFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

const folder = process.env.RECORDS_FOLDER ?? tmpdir();
const path = join(folder, `conformance-records-${process.ppid}.jsonl`);

function record(name, value = null) {
  appendFileSync(path, `${JSON.stringify({ name, value })}\n`);
}

function recorded(wanted) {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ name }) => name === wanted)
    .map(({ value }) => value);
}

module.exports = { record, recorded };
