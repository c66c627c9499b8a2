// The model decider: asked only where the rules would plan an effect, and bound to what they permit.
//
//   claim          an amount above the tolerance and of at most the variance, and a note for the account's owner
//   approve        as the rules would
//   ask_a_person   at any time, with a note that says why
//
// The plan is built here: actions, targets, states and recipients are the rules' own, ids and keys are the protocol's. So a text
// among the facts that talks the model round gets one of these three and no more. The supplier's name is the only free
// text that is shown; a note with a link or an address is not taken, because it goes out in an email of ours.
import { z } from "zod";
import type { DecideContext } from "../../domain/definitions.ts";
import { proposalOf, type Model, type Question } from "../../domain/model.ts";
import { approve, assess, claimBack, type Assessment } from "./assess.ts";
import { Amount, centsOf, textOf, type InvoiceDecision, type InvoiceView } from "./facts.ts";

type Weighed = Exclude<Assessment, { kind: "settled" }>;

interface Answer {
  option: "claim" | "approve" | "ask_a_person";
  /** Null unless something is claimed. */
  amount: string | null;
  note: string;
}

const noteCharsMax = 400;
/** An address, a link, a host name, or a number as long as an account's or a telephone's. */
const reachesElsewhere = /@|:\/\/|[\p{L}\p{N}-][.\u3002]\p{L}{2}|(\p{Nd}[\s\p{Pd}]?){7}/u;

export function decideByModel(model: Model) {
  return async (view: InvoiceView, context: DecideContext): Promise<InvoiceDecision> => {
    const assessed = assess(view);
    if (assessed.kind === "settled") return assessed.decision;
    const question = questionOf(assessed, view);
    const proposal = await context.memo("proposal", proposalOf(question.answer), () =>
      model.ask(question, context.signal),
    );
    switch (proposal.kind) {
      case "declined":
        return { kind: "hold", why: `no proposal from ${model.name}: ${proposal.why}` };
      case "proposed":
        return planOf(assessed, proposal.value, model.name);
    }
  };
}

function planOf(assessed: Weighed, { amount, note, option }: Answer, by: string): InvoiceDecision {
  if (option === "ask_a_person") return { kind: "hold", why: `${by} asks for a person: ${note}` };
  if (assessed.kind === "approve") return approve(assessed);
  return claimBack(assessed.facts, { amountCents: centsOf(amount ?? ""), note });
}

function questionOf(assessed: Weighed, view: InvoiceView): Question<Answer> {
  const { billed = "", ordered = "", currency = "", reason = "", supplier = "" } = assessed.facts;
  const earlier = view.effects.map(({ action, status }) => ({ action, status }));
  const about = { billed, ordered, currency, reason, supplier, earlier };
  switch (assessed.kind) {
    case "approve":
      return {
        task: `${role} The rules would approve this invoice: ${assessed.why}. Choose "approve", or "ask_a_person" if something is odd. amount is null. ${noteRule}`,
        about,
        answer: answerSchema("approve"),
      };
    case "claim":
      return {
        task: `${role} More was billed than ordered. Choose "claim" with the amount to claim back from the supplier, usually the whole variance, or "ask_a_person" with amount null. ${noteRule}`,
        about: { ...about, variance: textOf(assessed.varianceCents) },
        answer: answerSchema("claim").superRefine(amountWithin(assessed)),
      };
  }
}

const role = "You are a clerk in accounts payable and judge one invoice against its order.";
const noteRule = `note: one or two plain sentences for the account's owner, at most ${noteCharsMax} characters, without links, addresses or account numbers.`;

function answerSchema(does: "claim" | "approve"): z.ZodType<Answer> {
  return z.object({
    option: z.enum([does, "ask_a_person"]),
    amount: z.string().nullable(),
    note: z
      .string()
      .min(1)
      .max(noteCharsMax)
      .regex(/^[^\p{C}<>@]*$/u, "plain words on one line")
      // As a mail reader takes it: wide letters and signs are the plain ones there.
      .refine(
        (note) => !reachesElsewhere.test(note.normalize("NFKC")),
        "no links, addresses or account numbers",
      ),
  });
}

function amountWithin({ toleranceCents, varianceCents }: Assessment & { kind: "claim" }) {
  return ({ amount, option }: Answer, context: z.RefinementCtx): void => {
    if (option !== "claim") return;
    const parsed = Amount.safeParse(amount);
    const cents = parsed.success ? centsOf(parsed.data) : 0;
    if (cents > toleranceCents && cents <= varianceCents) return;
    context.addIssue({
      code: "custom",
      path: ["amount"],
      message: `a decimal text like 12.50, above ${textOf(toleranceCents)} and at most ${textOf(varianceCents)}`,
    });
  };
}
