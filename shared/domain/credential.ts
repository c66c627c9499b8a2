// A setting that is sent to a provider's or a model's endpoint in a header.
import { z } from "zod";

/** Azure leaves a Key Vault reference as it is when it could not be resolved. */
export const Credential = z
  .string()
  .regex(/^[\x21-\x7e]{1,4096}$/, "1 to 4096 printable characters without a space")
  .refine((text) => !text.startsWith("@Microsoft.KeyVault("), "its Key Vault reference is open");
