// The credential of an Azure OpenAI endpoint without a key: a token of the app's own identity, fetched and renewed as needed.
//
// The scope is the one that Azure's v1 API documents. A user-assigned identity is named by its client id; else
// whatever this machine has. Config lets a token go only to an https endpoint of Azure's model services.
import {
  DefaultAzureCredential,
  getBearerTokenProvider,
  ManagedIdentityCredential,
} from "@azure/identity";

const scope = "https://ai.azure.com/.default";

export function azureToken({ clientId }: { clientId?: string }): () => Promise<string> {
  const credential =
    clientId === undefined
      ? new DefaultAzureCredential()
      : new ManagedIdentityCredential({ clientId });
  return getBearerTokenProvider(credential, scope);
}
