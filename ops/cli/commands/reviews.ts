// ops reviews: what waits for a person, by what waiting costs; one of them on one screen.
import { Option, type Command } from "commander";
import { z } from "zod";
import { pathOf } from "../api.ts";
import { teach } from "../lesson.ts";
import { list, listOptions, moreHint, type ListOptions, type Opens } from "../session.ts";
import { age, table } from "../show.ts";
import { addConfirm, addResolve } from "./resolve.ts";
import { findReview, reviewInWords } from "./review.ts";

const Row = z.looseObject({
  id: z.string(),
  caseId: z.string(),
  kind: z.string(),
  why: z.string(),
  externalRef: z.string(),
  workflow: z.string(),
  openedAtMs: z.int(),
  ageMs: z.int(),
});

interface ReviewsOptions extends ListOptions {
  kind?: string;
  sort: "cost" | "age";
}

/** To find the oldest, all of them are read; more than this nobody would settle in a day. */
const sortMax = 2000;

export function addReviews(program: Command, open: Opens): void {
  const reviews = program.command("reviews").description("what waits for a person's word");

  const listed = reviews
    .command("list")
    .description("the open reviews of a tenant and its held cases")
    .option("--kind <name>", "only these, like UnknownEffect or CaseHeld")
    .addOption(
      new Option("--sort <by>", "what waiting costs, or how long it has been open")
        .choices(["cost", "age"])
        .default("cost"),
    )
    .action(async (options: ReviewsOptions, command: Command) => {
      const session = open(command);
      const tenant = await session.tenant();
      const { cursor, kind, max, sort } = options;
      const { answer, next, rows } = await list(session.api, {
        path: pathOf("reviews", tenant),
        name: "reviews",
        row: Row,
        max: sort === "age" ? sortMax : max,
        cursor,
        keep: (row) => kind === undefined || row.kind.toLowerCase() === kind.toLowerCase(),
      });
      const sorted =
        sort === "cost" ? rows : rows.toSorted((a, b) => b.ageMs - a.ageMs).slice(0, max);
      session.show({ ...answer, reviews: sorted }, () =>
        table(
          ["reference", "kind", "open for", "why", "review", "case"],
          sorted.map((row) => [
            row.externalRef,
            row.kind,
            age(row.ageMs),
            row.why,
            row.id,
            row.caseId,
          ]),
          "Nothing waits for a person here.",
        ),
      );
      moreHint(session, sort === "cost" ? next : undefined);
    });
  for (const option of listOptions) listed.addOption(option);
  teach(listed, { example: "reviews list --sort cost" });

  teach(
    reviews
      .command("show")
      .description("one review: what was sent, what is known, and what each choice would do")
      .argument("<case>", "the case's id, or its business reference")
      .argument("[review]", "its id; not needed when the case has only one that is open")
      .action(async (named: string, reviewId: string | undefined, _: object, command: Command) => {
        const session = open(command);
        const tenant = await session.tenant();
        const { answer, review } = await findReview(session.api, { tenant, named, reviewId });
        session.show(answer, () => reviewInWords(review));
      }),
    { example: "reviews show INV-20931" },
  );

  addResolve(reviews, open);
  addConfirm(reviews, open);
}
