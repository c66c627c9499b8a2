// The business of a case in the campaign: do one thing under one action, then tell somebody by the same action. Before it
// decides it asks a model, which never says the same twice.
import { z } from "zod";
import { bookOf } from "../../../../shared/domain/book-of.ts";
import type {
  Book,
  Decision,
  DecideView,
  Provider,
} from "../../../../shared/domain/definitions.ts";
import { everyKey } from "../../../simulation/keyring.ts";
import { shortened, type Subject } from "../subject.ts";

export const workflowType = "crash";

export interface BookOptions {
  subjects: readonly Subject[];
  /** The same system as this worker reaches it. */
  connect(subject: Subject): Provider;
  /** The model is asked. */
  asked(caseId: string, version: number): Promise<void>;
  decided(caseId: string, version: number, decision: Decision): Promise<void>;
}

const Told = z.object({ caseId: z.string(), action: z.string(), tag: z.string() });
const Proposal = z.object({ said: z.string() });

export function crashBook(options: BookOptions): Book {
  const { subjects } = options;
  const providers = new Map(
    subjects.map((subject) => {
      const provider = shortened(options.connect(subject));
      return [provider.name, provider];
    }),
  );
  return bookOf({
    providers: [...providers.values()],
    payloadKeys: everyKey,
    actions: subjects.map(({ action }) => ({ ...action, autonomy: "auto" })),
    workflows: [
      {
        type: workflowType,
        revision: 1,
        facts: z.record(z.string(), z.json()),
        initialStatus: "open",
        statuses: { open: { final: false }, done: { final: true } },
        events: { told: Told },
        externalRefOf: (body) => Told.parse(body).tag,
        fold: (facts, event) => ({ ...facts, ...Told.parse(event.body) }),
        async decide(view, { memo }) {
          const { action, caseId, tag } = Told.parse(view.facts);
          await memo("proposal", Proposal, async () => {
            await options.asked(caseId, view.version);
            return { said: crypto.randomUUID() };
          });
          const decision = decisionOf(subjectOf(subjects, action), tag, view);
          await options.decided(caseId, view.version, decision);
          return decision;
        },
      },
    ],
  });
}

/** Asks only for what no earlier effect may have done, as a decider should. */
function decisionOf({ action, example }: Subject, tag: string, view: DecideView): Decision {
  const mayBeDone = view.effects.some(
    ({ contradicted, status }) =>
      contradicted !== undefined || status === "confirmed" || status === "unknown",
  );
  // What a person denied is not asked for once more.
  if (view.effects.some(({ origin, status }) => origin === "plan" && status === "rejected")) {
    return { kind: "hold", why: "it was rejected" };
  }
  return {
    kind: "plan",
    why: "the campaign wants it done",
    actions: mayBeDone ? [] : [{ action: action.name, ...jsonOf(example(`${tag}-plan`)) }],
    nextStatus: "done",
    notifications: [{ action: action.name, ...jsonOf(example(`${tag}-tell`)) }],
  };
}

function jsonOf({ target, payload }: ReturnType<Subject["example"]>) {
  return { target, payload: z.record(z.string(), z.json()).parse(payload) };
}

export function subjectOf(subjects: readonly Subject[], name: string): Subject {
  const found = subjects.find(({ action }) => action.name === name);
  if (found === undefined) throw new Error(`no subject ${name}`);
  return found;
}
