// The same world under other code: what one deployment has registered and another has not.
import { bookOf } from "../../shared/domain/book-of.ts";
import type { Action, Book, Workflow } from "../../shared/domain/definitions.ts";
import type { World } from "./world.ts";

const names = ["keyed.first.v1", "keyed.second.v1", "bare.first.v1", "mail.tell.v1"];

/** `workflow`: what differs, "none": it is not registered. */
export function codeOf(
  world: World,
  options: {
    workflow?: Partial<Workflow> | "none";
    withoutAction?: string;
    withoutProvider?: string;
    actions?: readonly Action[];
  },
): Book {
  const { workflow = {}, withoutAction, withoutProvider } = options;
  const known = world.book.workflow("test-flow");
  if (known === undefined) throw new Error("no workflow");
  const actions = names.flatMap((name) => world.book.action(name) ?? []);
  return bookOf({
    workflows: workflow === "none" ? [] : [{ ...known, ...workflow }],
    actions: [
      ...actions.filter(
        ({ name, provider }) => name !== withoutAction && provider !== withoutProvider,
      ),
      ...(options.actions ?? []),
    ],
    payloadKeys: world.book.payloadKeys,
    providers: [world.keyed, world.bare].filter(({ name }) => name !== withoutProvider),
  });
}
