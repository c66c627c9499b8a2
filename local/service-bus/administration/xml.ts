// The little XML that Atom entries need: elements, attributes and text, read into a tree and written
// from one. No DOCTYPE, and so no entities but the five and character references; names keep their prefix.

export type Element = {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
};

/** undefined: it is no XML, or more of XML than is read here. */
export function readXml(source: string): Element | undefined {
  const tokens = source.matchAll(
    /<!--[^]*?-->|<\?[^]*?\?>|<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|[^<]+|</g,
  );
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  for (const [token, closes, name, attributes = "", closesItself] of tokens) {
    const parent = open.at(-1);
    if (parent === undefined || token === "<") return undefined;
    if (name === undefined) {
      if (!token.startsWith("<")) parent.text += unescape(token);
    } else if (closes === "/") {
      if (open.length === 1 || parent.name !== name) return undefined;
      open.pop();
    } else {
      const element: Element = {
        name,
        attributes: readAttributes(attributes),
        children: [],
        text: "",
      };
      parent.children.push(element);
      if (closesItself === "") open.push(element);
    }
  }
  const isWhole = open.length === 1 && root.children.length === 1 && root.text.trim() === "";
  return isWhole ? root.children[0] : undefined;
}

export function childOf(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((child) => child.name === name);
}

/** What is written: text is escaped, and an element may come in several. */
export type Written = string | number | boolean | { [name: string]: Written } | Written[];

/** `@name` in an element is an attribute of it, and `#` its text besides. */
export function writeXml(name: string, content: Written): string {
  if (Array.isArray(content)) return content.map((one) => writeXml(name, one)).join("");
  if (typeof content !== "object") return `<${name}>${plain(content)}</${name}>`;
  const entries = Object.entries(content);
  const attributes = entries
    .filter(([key]) => key.startsWith("@"))
    .map(([key, value]) => ` ${key.slice(1)}="${plain(value)}"`);
  const children = entries
    .filter(([key]) => !key.startsWith("@"))
    .map(([key, value]) => (key === "#" ? plain(value) : writeXml(key, value)));
  return `<${name}${attributes.join("")}>${children.join("")}</${name}>`;
}

function readAttributes(source: string): Record<string, string> {
  const found = source.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries(
    Array.from(found, ([, name = "", double, single]) => [name, unescape(double ?? single ?? "")]),
  );
}

const NAMED: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescape(text: string): string {
  return text.replaceAll(
    /&(?:#(\d+)|#x([\da-fA-F]+)|(\w+));/g,
    (whole: string, decimal?: string, hex = "", name?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const codePoint = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : whole;
    },
  );
}

function plain(value: Written): string {
  if (typeof value === "object") throw new Error("An attribute or a text holds no elements.");
  return String(value)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
