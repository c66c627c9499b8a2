// What waits for an operator, and the command lines to begin with; each works as pasted, from the root of the repository.
import { usualStatePath } from "../azure/state-folder.ts";
import { askingTenant } from "./ask-approvals.ts";
import type { WaitingWork } from "./leave-work.ts";

export function waitingLines({ deadLetters, tenants }: WaitingWork): string[] {
  const ofTenants = tenants
    .filter(({ approvals, reviews }) => approvals + reviews > 0)
    .map(({ approvals, reviews, tenantId }) => {
      const asked = approvals === 0 ? [] : [`${approvals} approvals`];
      const open = reviews === 0 ? [] : [`${reviews} reviews`];
      return `${tenantId.padEnd(9)}${[...open, ...asked].join(", ")}`;
    });
  const dead = Object.entries(deadLetters)
    .filter(([, count]) => count > 0)
    .map(([queue, count]) => `${count} dead letters in ${queue}`);
  return [...ofTenants, ...(dead.length === 0 ? [] : [`${"queues".padEnd(9)}${dead.join(", ")}`])];
}

export function operatorCommands(statePath: string, hostUrl: string): [string, string][] {
  // Of the usual folder the command line finds the address itself.
  const url = statePath === usualStatePath ? "" : ` --url ${hostUrl}`;
  const ops = (line: string): string => `npm run ops -- ${line}${url}`;
  return [
    ["is everything there, and who am I", ops("doctor")],
    ["what waits, the costliest first", ops("reviews list --tenant acme")],
    [
      "one of them on one screen, with what each choice does",
      ops("reviews show CRM-349 --tenant acme"),
    ],
    ["the questions to a person", ops(`approvals list --tenant ${askingTenant} --persona abel`)],
    [
      "what the broker gave up on, and what another look would do",
      ops("dead-letters preview --tenant _"),
    ],
  ];
}
