// Reads Bicep by its grammar (tree-sitter), as far as the claims of this folder need it: what a file declares, passes and mentions.
// A parser, no compiler: types and API versions are checked by the real compiler in the deploy workflow.
import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Language, Parser, type Node } from "web-tree-sitter";

export const infra = join(import.meta.dirname, "..", "..", "infra");

await Parser.init();
const parser = new Parser();
parser.setLanguage(
  await Language.load(
    createRequire(import.meta.url).resolve("tree-sitter-bicep/tree-sitter-bicep.wasm"),
  ),
);

export interface BicepFile {
  /** Relative to infra/, with `/`. */
  path: string;
  text: string;
  root: Node;
}

export function parse(text: string, path = "inline.bicep"): BicepFile {
  const tree = parser.parse(text);
  if (tree === null) throw new Error(`${path} was not parsed`);
  return { path, text, root: tree.rootNode };
}

export const bicepFiles: readonly BicepFile[] = globSync("**/*.bicep", { cwd: infra })
  .map((path) => path.replaceAll("\\", "/"))
  .sort()
  .map((path) => parse(readFileSync(join(infra, path), "utf8"), path));

export function bicepFile(path: string): BicepFile {
  const file = bicepFiles.find((one) => one.path === path);
  if (file === undefined) throw new Error(`there is no infra/${path}`);
  return file;
}

export function nodesOf(node: Node, ...types: string[]): Node[] {
  return node.descendantsOfType(types).filter((found) => found !== null);
}

/** `param` declarations: name, and whether a caller may leave it out. */
export function parametersOf(file: BicepFile): { name: string; hasDefault: boolean }[] {
  return nodesOf(file.root, "parameter_declaration").map((node) => ({
    name: nameOf(node),
    hasDefault: node.namedChildren.length > 2,
  }));
}

/** The name that a declaration declares. */
export function nameOf(declaration: Node): string {
  return declaration.namedChildren.find((child) => child?.type === "identifier")?.text ?? "";
}

/** The members of an object literal, by key; a quoted key without its quotes. */
export function membersOf(object: Node): Map<string, Node> {
  const members = new Map<string, Node>();
  for (const property of object.namedChildren) {
    const [key, value] = property?.type === "object_property" ? property.namedChildren : [];
    if (key && value) members.set(key.text.replaceAll("'", ""), value);
  }
  return members;
}

/** The object that `var NAME = { ... }` or `resource NAME ... = { ... }` declares. */
export function objectOf(file: BicepFile, name: string): Node {
  for (const type of ["variable_declaration", "resource_declaration", "module_declaration"]) {
    const declaration = nodesOf(file.root, type).find((node) => nameOf(node) === name);
    const object = declaration?.namedChildren.find((child) => child?.type === "object");
    if (object) return object;
  }
  throw new Error(`${file.path} declares no object ${name}`);
}
