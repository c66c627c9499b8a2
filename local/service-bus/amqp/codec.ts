// rhea's AMQP types and outcomes, with the parts its own type declarations leave out. rhea is a
// CommonJS module with one export, so its names cannot be imported one by one.

import rhea, { type Message, type Typed } from "rhea";

export type Reader = { position: number; read(): Typed; remaining(): number };
export type Writer = { write(typed: Typed): void; toBuffer(): Buffer };

type Codec = typeof rhea.types & {
  Reader: new (encoded: Buffer) => Reader;
  Writer: new () => Writer;
};
type Outcome = { described(): Typed };
type Outcomes = {
  decode(encoded: Buffer): Message;
  accepted(): Outcome;
  rejected(fields: { error: Typed }): Outcome;
};

export const types = rhea.types as unknown as Codec;
const outcomes = rhea.message as unknown as Outcomes;

export const decodeMessage = (encoded: Buffer): Message => outcomes.decode(encoded);

export const accepted = (): Typed => outcomes.accepted().described();

export function rejected(error: { condition: string; description: string }): Typed {
  return outcomes.rejected({ error: types.wrap_error(error) }).described();
}
