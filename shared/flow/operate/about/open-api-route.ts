// Where the OpenAPI document is: for anybody who is signed in.
import { z } from "zod";
import { getRoute } from "../route.ts";

export const openApiRoute = getRoute({
  name: "show-open-api",
  path: "openapi.json",
  summary: "This document.",
  role: undefined,
  params: z.strictObject({}),
  answer: { schema: z.record(z.string(), z.unknown()), says: "OpenAPI 3.1." },
  problems: [],
});
