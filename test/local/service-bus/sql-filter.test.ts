// What the SQL filters of subscriptions understand, and what they refuse at start.
import { describe, expect, test } from "vitest";
import { parseSqlFilter } from "../../../local/service-bus/broker/topics/sql-filter.ts";

describe("a SQL filter", () => {
  const view = {
    system: { label: "invoice", messageId: "m" },
    application: new Map<string, unknown>([
      ["amount", 100],
      ["country", "DE"],
      ["note", "it's 100% ok"],
      ["urgent", true],
    ]),
  };

  test.each([
    ["amount = 100", true],
    ["amount <> 100", false],
    ["amount > 99.5 AND country = 'DE'", true],
    ["amount < 0 OR country = 'DE' AND urgent", true],
    ["(amount < 0 OR country = 'DE') AND NOT urgent", false],
    ["amount > -1", true],
    ["country IN ('FR', 'DE')", true],
    ["country NOT IN ('FR', 'DE')", false],
    ["note LIKE 'it''s%'", true],
    ["note NOT LIKE '%bad%'", true],
    ["sys.Label = 'invoice'", true],
    ["user.amount = 100", true],
    ["missing IS NULL AND amount IS NOT NULL", true],
    ["EXISTS(amount) AND NOT EXISTS(missing)", true],
    ["missing = 1", false],
    ["NOT (missing = 1)", false],
    ["missing = 1 OR amount = 100", true],
    ["amount = '100'", false],
  ])("%s is %s", (text, passes) => {
    expect(parseSqlFilter(text)(view)).toBe(passes);
  });

  test.each(["amount =", "amount + 1 = 2", "amount = 1 country", "= 1"])(
    "%s is refused",
    (text) => {
      expect(() => parseSqlFilter(text)).toThrow(/./);
    },
  );
});
