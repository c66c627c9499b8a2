// A setting that is shown to a provider's or a model's endpoint in a header.
import { z } from "zod";

/** Azure leaves a reference as it is where the vault was not to be read. */
export const Credential = z
  .string()
  .regex(/^[\x21-\x7e]{1,4096}$/, "1 to 4096 printable characters without a space")
  .refine((text) => !text.startsWith("@Microsoft.KeyVault("), "its Key Vault reference is open");
