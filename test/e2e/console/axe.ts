// What a page does that WCAG 2.2 AA, or axe's good practice, does not want: empty when all is well.
import axe from "axe-core";
import type { Page } from "playwright-core";
import { z } from "zod";

const Violations = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

/** Brought in by the debugger, so the page's own policy stands. */
export async function violations(page: Page): Promise<unknown[]> {
  await page.evaluate(axe.source);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const options = JSON.stringify({ runOnly: tags, resultTypes: ["violations"] });
  const found = Violations.parse(await page.evaluate(`axe.run(document, ${options})`));
  return found.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
}
