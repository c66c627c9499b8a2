// What a team's own code gave or threw, as a value.
//
// A boundary's act then never rejects with what the decider or its model threw: whatever else a boundary
// throws is this worker's own trouble, and is counted against nobody.
export type Outcome<Value> = { kind: "gave"; value: Value } | { kind: "threw"; error: unknown };

export async function outcomeOf<Value>(act: () => Value | Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { kind: "gave", value: await act() };
  } catch (error) {
    return { kind: "threw", error };
  }
}
