// The settings of customer-onboarding: all of them, or none; half a group is refused by name and without its values.
import { describe, expect, test } from "vitest";
import { readConfig } from "../shared/config.ts";

const required = {
  ServiceBus: "Endpoint=sb://x",
  Cosmos: "AccountEndpoint=https://x",
  CASE_ID_KEY: Buffer.alloc(32).toString("base64"),
  WEBHOOK_SOURCES: "{}",
  SUPPLIER_PORTAL_URL: "https://portal.example",
  SUPPLIER_PORTAL_TOKEN: "t",
  EMAIL_URL: "https://mail.example",
  EMAIL_TOKEN: "t",
  EMAIL_FROM: "ap@example.com",
};
const onboarding = {
  CRM_URL: "https://crm.example",
  CRM_TOKEN: "crm-secret",
  TASK_BOARD_URL: "https://tasks.example",
  TASK_BOARD_TOKEN: "board-secret",
};

describe("the settings of customer-onboarding", () => {
  test("may all be absent: the app then knows no onboarding", () => {
    expect(readConfig(required).onboarding).toBeUndefined();
  });

  test("are read as a group, with defaults for its times", () => {
    expect(readConfig({ ...required, ...onboarding }).onboarding).toEqual({
      crm: { baseUrl: "https://crm.example", token: "crm-secret", callTimeoutMs: 10_000 },
      taskBoard: {
        baseUrl: "https://tasks.example",
        token: "board-secret",
        callTimeoutMs: 10_000,
        searchSettleMs: 120_000,
      },
    });
  });

  test.each(Object.keys(onboarding))(
    "are refused without %s, by name, and repeat no value",
    (name) => {
      const half = { ...required, ...onboarding, [name]: undefined };
      expect(() => readConfig(half)).toThrow(name);
      expect(() => readConfig(half)).not.toThrow(/secret/);
    },
  );
});
