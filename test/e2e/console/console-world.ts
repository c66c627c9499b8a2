// The console in a browser, on the built app and the local Azure, seen by several people; and the situations that they meet.
import { z } from "zod";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { principalHeader } from "../../../local/host/http/principal.ts";
import { openLocalWorld, type CaseView, type LocalWorld } from "../local-world.ts";
import { openBrowser } from "./browser.ts";

const personas = [
  { id: "rita", name: "Rita Reader", roles: ["reader"] },
  { id: "olga", name: "Olga Operator", roles: ["operator"] },
  { id: "abel", name: "Abel Approver", roles: ["approver"] },
  { id: "ivo", name: "Ivo Overrider", roles: ["overrider"] },
  { id: "una", name: "Una Overrider", roles: ["overrider"] },
];
export type Persona = "rita" | "olga" | "abel" | "ivo" | "una" | "e2e-admin";

export interface ConsoleWorld extends LocalWorld {
  /** A browser of that person's own, in the section; the page is closed with the world. */
  open(persona: Persona, section: string, options?: BrowserContextOptions): Promise<Page>;
  /** An email whose answer was lost: nobody knows whether it was sent. */
  unknownEmail(invoice: string): Promise<CaseView>;
  /** A plan whose credit note needs an approval, on a version after that one; the version. */
  askApproval(invoice: string, options?: { after: number }): Promise<number>;
  grant(action: string): Promise<void>;
  revoke(action: string): Promise<void>;
  /** All that is revoked. */
  grantAgain(): Promise<void>;
}

/** Long enough that a held call is still held when a person has clicked. */
const portalTimeoutMs = 20_000;

export async function openConsoleWorld(
  options: Pick<NonNullable<Parameters<typeof openLocalWorld>[0]>, "beforeHost" | "settings"> = {},
): Promise<ConsoleWorld> {
  const [world, browser] = await Promise.all([
    openLocalWorld({
      ...options,
      personas,
      settings: {
        SUPPLIER_PORTAL_CALL_TIMEOUT_MS: String(portalTimeoutMs),
        ...options.settings,
      },
    }),
    openBrowser(),
  ]);
  /** In any page: errors, refusals by the policy, and requests to elsewhere. They fail the whole file at its end. */
  const faults: string[] = [];
  /** By action; undefined while it is revoked. */
  const grants = new Map<string, string | undefined>();
  let given = 0;
  const grant = async (action: string) => {
    const id = `e2e-${(given += 1)}-${action}`;
    grants.set(action, id);
    await asAdmin(world, "grants/acme", { id, subject: "invoice-exception", action });
  };
  return {
    ...world,
    open: (persona, section, options) =>
      openPage({ browser, url: world.host.url, faults }, { persona, section, options }),
    unknownEmail: (invoice) => unknownEmail(world, invoice),
    askApproval: (invoice, { after } = { after: 0 }) => askApproval(world, invoice, after),
    grant,
    async grantAgain() {
      for (const [action, id] of grants) if (id === undefined) await grant(action);
    },
    async revoke(action) {
      const id = grants.get(action) ?? `grant:acme:${action}`;
      grants.set(action, undefined);
      await asAdmin(world, `grants/acme/${encodeURIComponent(id)}/revoke`, {
        reason: "for a test",
      });
    },
    async close() {
      await browser.close();
      await world.close();
      if (faults.length > 0) throw new Error(`in the pages: ${faults.join("\n")}`);
    },
  };
}

async function openPage(
  { browser, faults, url }: { browser: Browser; url: string; faults: string[] },
  wanted: { persona: Persona; section: string; options: BrowserContextOptions | undefined },
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 900 },
    locale: "en-GB",
    ...wanted.options,
  });
  context.setDefaultTimeout(15_000);
  await context.addCookies([{ name: "LocalPersona", value: wanted.persona, url }]);
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    // What the API refuses, and what a test holds back, is shown to the reader; the browser logs it as well.
    const isAnswer = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isAnswer) faults.push(message.text());
  });
  page.on("request", (request) => {
    const isOurs = request.url().startsWith(url) || request.url().startsWith("data:");
    if (!isOurs) faults.push(`asked ${request.url()}`);
  });
  await page.goto(`${url}/api/console#/acme/${wanted.section}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

async function asAdmin(world: LocalWorld, path: string, body: object): Promise<void> {
  const principal = { id: "test-admin", name: "Test admin", roles: ["admin"] };
  const response = await fetch(`${world.host.url}/api/${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-ms-client-principal": principalHeader(principal),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

async function unknownEmail(world: LocalWorld, invoice: string): Promise<CaseView> {
  const delivery = world.raised(invoice);
  const target = delivery.data["accountOwnerEmail"] ?? "";
  await world.providers.order([
    { action: "email.send_notification.v1", target, fault: "commitThenDrop" },
  ]);
  await world.post(delivery);
  return world.until(invoice, ({ reviews }) =>
    reviews.some(({ kind }) => kind === "UnknownEffect"),
  );
}

const Planned = z.looseObject({
  plan: z.looseObject({ operationIds: z.tuple([z.string()], z.string()) }),
});

/**
 * No action that comes with the app asks for an approval. So the case waits for its grant, its plan is told that it needs one, and
 * the grant is given: the question, and all that follows, are the app's own.
 */
async function askApproval(world: LocalWorld, invoice: string, after: number): Promise<number> {
  const { case: record } = await world.until(
    invoice,
    (view) => view.case.version > after && isHeldForGrant(view),
  );
  await world.cases(async (cases) => {
    const item = cases.item("case", ["acme", record.caseId]);
    const { resource } = await item.read();
    const { plan, ...rest } = Planned.parse(resource);
    const needsApproval = [plan.operationIds[0]];
    await item.replace({ ...rest, id: "case", plan: { ...plan, needsApproval } });
  });
  return record.version;
}

function isHeldForGrant({ case: { version }, effects, reviews }: CaseView): boolean {
  return (
    reviews.some(
      (review) =>
        review.kind === "NoGrant" &&
        review.resolution === undefined &&
        "caseVersion" in review &&
        review.caseVersion === version,
    ) && effects.some(({ status }) => status === "prepared")
  );
}
