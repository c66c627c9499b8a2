// What the app says of a case, through its own API. It is one side of the count; the other side is
// what the providers and the Cosmos server wrote down.
//
// Our reads cost the app reads of that case in the store. Each is kept as a window of time, so that
// they are not counted as the app's own.
import { z } from "zod";

export const CaseView = z.looseObject({
  case: z.looseObject({
    tenantId: z.string(),
    caseId: z.string(),
    externalRef: z.string(),
    status: z.string(),
    version: z.int(),
    held: z.looseObject({}).nullish(),
  }),
  effects: z.array(
    z.looseObject({
      operationId: z.string(),
      action: z.string(),
      target: z.string(),
      status: z.enum(["prepared", "started", "confirmed", "rejected", "unknown", "cancelled"]),
    }),
  ),
  reviews: z.array(z.looseObject({ resolution: z.looseObject({}).nullish() })),
});
export type CaseView = z.infer<typeof CaseView>;

export interface ReadWindow {
  caseId: string;
  fromMs: number;
  toMs: number;
}

export interface CaseApi {
  /** `undefined`: there is no such case yet, or the app cannot answer just now. */
  read(tenantId: string, externalRef: string): Promise<CaseView | undefined>;
  windows(): readonly ReadWindow[];
}

export function caseApi(host: { url: string; key: string }): CaseApi {
  const windows: ReadWindow[] = [];
  return {
    async read(tenantId, externalRef) {
      const path = `/api/cases/${tenantId}?externalRef=${encodeURIComponent(externalRef)}`;
      const fromMs = Date.now();
      const response = await fetch(`${host.url}${path}`, {
        headers: { "x-functions-key": host.key },
      });
      const body: unknown = await response.json().catch(() => undefined);
      if (response.status === 404 || response.status >= 500) return undefined;
      if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
      const view = CaseView.parse(body);
      windows.push({ caseId: view.case.caseId, fromMs, toMs: Date.now() });
      return view;
    },
    windows: () => windows,
  };
}

export function isInReview(view: CaseView): boolean {
  const open = view.reviews.some(({ resolution }) => (resolution ?? undefined) === undefined);
  return open || isHeld(view);
}

export function isHeld(view: CaseView): boolean {
  return (view.case.held ?? undefined) !== undefined;
}

/** "held" is said instead of the status that the case is held in. */
export function statusOf(view: CaseView): string {
  return isHeld(view) ? "held" : view.case.status;
}
