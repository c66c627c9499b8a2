// The one address that a provider's credentials may go to, checked when the app starts; and what it means to a key.

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

/** A sandbox and the real thing share accounts and versions, and know nothing of each other's keys and operations. */
export function versionAt(apiVersion: string, baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${apiVersion} at ${origin}${pathname.replace(/\/$/, "")}`;
}
