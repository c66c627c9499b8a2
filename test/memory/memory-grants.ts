// Grants in memory: what a test grants and revokes is seen at once, or a test keeps the candidates old.
import type { Grant } from "../../shared/domain/records/grant.ts";
import type { GrantRegister } from "../../shared/stores/ports.ts";

export interface MemoryGrants extends GrantRegister {
  put(grant: Grant): void;
  /** May throw; `candidates` or `read`. */
  before: ((operation: "candidates" | "read") => void | Promise<void>) | undefined;
}

export function memoryGrants(...granted: Grant[]): MemoryGrants {
  const grants = new Map(granted.map((grant) => [grant.id, grant]));
  const store: MemoryGrants = {
    before: undefined,
    put: (grant) => void grants.set(grant.id, structuredClone(grant)),
    async revoke(tenantId, grantId, revoked) {
      const grant = grants.get(grantId);
      if (grant?.tenantId !== tenantId) return "missing";
      if (grant.revoked !== undefined) return "revokedBefore";
      grants.set(grantId, { ...grant, revoked });
      return "revoked";
    },
    async create(grant) {
      if (grants.has(grant.id)) return "exists";
      grants.set(grant.id, structuredClone(grant));
      return "created";
    },
    list: async (tenantId) => [...grants.values()].filter((grant) => grant.tenantId === tenantId),
    async candidates({ tenantId, subject, action }) {
      await store.before?.("candidates");
      return [...grants.values()].filter(
        (grant) =>
          grant.tenantId === tenantId && grant.subject === subject && grant.action === action,
      );
    },
    async read(tenantId, grantId) {
      await store.before?.("read");
      const grant = grants.get(grantId);
      return grant?.tenantId === tenantId ? grant : undefined;
    },
  };
  return store;
}
