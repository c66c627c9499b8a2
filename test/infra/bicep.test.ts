// What a compiler would say first, without one: each file parses, names nothing that it does not declare, declares nothing in
// vain, and calls its modules with exactly the parameters that they have.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Node } from "web-tree-sitter";
import { describe, expect, test } from "vitest";
import {
  bicepFile,
  bicepFiles,
  infra,
  membersOf,
  nameOf,
  nodesOf,
  parametersOf,
  parse,
  type BicepFile,
} from "./bicep.ts";

const declarations = [
  "parameter_declaration",
  "variable_declaration",
  "resource_declaration",
  "module_declaration",
  "user_defined_function",
];

/** Identifiers that mean a declaration: no keys, no function names, no types, no decorators. */
function mentionsOf(file: BicepFile): string[] {
  return nodesOf(file.root, "identifier")
    .filter(isMention)
    .map((node) => node.text);
}

function isMention(node: Node): boolean {
  const parent = node.parent;
  if (parent === null) return false;
  const isFirst = parent.namedChildren[0]?.id === node.id;
  switch (parent.type) {
    case "object_property":
    case "call_expression":
    case "lambda_expression":
    case "parameter":
      return !isFirst;
    case "for_statement":
      return !loopNamesOf(parent).includes(node.text);
    case "for_loop_parameters":
    case "decorator":
    case "type":
      return false;
    default:
      return !declarations.concat("output_declaration").includes(parent.type) || !isFirst;
  }
}

function loopNamesOf(loop: Node): string[] {
  const [, names = ""] = /\bfor\s+\(?([\w, ]+)\)?\s+in\s/.exec(loop.text) ?? [];
  return names.split(",").map((name) => name.trim());
}

function declaredIn(file: BicepFile): string[] {
  return nodesOf(file.root, ...declarations).map(nameOf);
}

function localNamesIn(file: BicepFile): string[] {
  const loops = nodesOf(file.root, "for_statement").flatMap(loopNamesOf);
  const inner = nodesOf(file.root, "lambda_expression", "parameter").map(nameOf);
  return [...loops, ...inner];
}

const problemsOf = (file: BicepFile) => ({
  unparsed: nodesOf(file.root, "ERROR").map((node) => node.startPosition.row + 1),
  undeclared: mentionsOf(file).filter(
    (name) => ![...declaredIn(file), ...localNamesIn(file)].includes(name),
  ),
  unused: nodesOf(
    file.root,
    "parameter_declaration",
    "variable_declaration",
    "user_defined_function",
  )
    .map(nameOf)
    .filter((name) => file.text.split(new RegExp(`\\b${name}\\b`)).length < 3),
});

describe.each(bicepFiles.map((file) => [file.path, file] as const))("infra/%s", (_path, file) => {
  test("parses, mentions only what it declares, and declares nothing in vain", () => {
    expect(problemsOf(file)).toEqual({ unparsed: [], undeclared: [], unused: [] });
    expect(file.root.hasError).toBe(false);
  });

  test("calls each module with its parameters, none missing and none unknown", () => {
    for (const module of nodesOf(file.root, "module_declaration")) {
      const path = module.namedChildren[1]?.text.replaceAll("'", "") ?? "";
      const parameters = parametersOf(bicepFile(join(dirname(file.path), path)));
      const body = nodesOf(module, "object")[0];
      const passed = body && membersOf(body).get("params");
      const names = passed === undefined ? [] : [...membersOf(passed).keys()];
      expect({
        module: path,
        missing: parameters.filter(({ name, hasDefault }) => !hasDefault && !names.includes(name)),
        unknown: names.filter((name) => !parameters.some((parameter) => parameter.name === name)),
      }).toEqual({ module: path, missing: [], unknown: [] });
    }
  });

  test("loads files that exist", () => {
    const loaded = [...file.text.matchAll(/load(?:Json|Text)Content\('([^']+)'\)/g)];
    const missing = loaded.filter(
      ([, path]) => !existsSync(join(infra, dirname(file.path), path ?? "")),
    );
    expect(missing).toEqual([]);
  });
});

test("each environment gives main.bicep its parameters, and no other", () => {
  const parameters = parametersOf(bicepFile("main.bicep"));
  for (const environment of ["dev", "test", "prod"]) {
    const text = readFileSync(join(infra, `environments/${environment}.bicepparam`), "utf8");
    const given = [...text.matchAll(/^param (\w+) =/gm)].map(([, name]) => name ?? "");
    const known = parameters.map(({ name }) => name);
    const needed = parameters.filter(({ hasDefault }) => !hasDefault).map(({ name }) => name);
    expect(given.filter((name) => !known.includes(name))).toEqual([]);
    expect(needed.filter((name) => !given.includes(name))).toEqual([]);
  }
  const azd = JSON.parse(readFileSync(join(infra, "main.parameters.json"), "utf8")) as {
    parameters: object;
  };
  const unknown = Object.keys(azd.parameters).filter(
    (name) => !parameters.some((parameter) => parameter.name === name),
  );
  expect(unknown).toEqual([]);
});

test("this reader itself sees a name that nobody declared, one that nobody uses, and broken text", () => {
  expect(problemsOf(parse("param a string\nvar b = c\noutput d string = b\n"))).toEqual({
    unparsed: [],
    undeclared: ["c"],
    unused: ["a"],
  });
  expect(parse("resource x 'y' = { name: }\n").root.hasError).toBe(true);
});
