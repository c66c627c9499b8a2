// The one address that a provider's credentials may go to, checked when the app starts.

/** Throws, naming the field and never the value: a base URL can hold a password. */
export function assertHttpUrl(provider: string, baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new Error(`${provider}: baseUrl must be an http or https URL.`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new Error(`${provider}: baseUrl must have no user, password, query or fragment.`);
  }
  return url;
}
