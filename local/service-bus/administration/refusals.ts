// Why a request of the administration client is refused: Azure's status, and a sentence with the sub-code by
// which the SDK and people tell the cases of one status apart.

export type Refused = { status: number; detail: string };

export const refusals = {
  unauthorized: { status: 401, detail: "MissingToken: the request carries no authorization." },
  notFound: {
    status: 404,
    detail: "SubCode=40400. No such entity: it was never made, or is deleted.",
  },
  exists: { status: 409, detail: "SubCode=40900. Conflict. An entity of this name is there." },
} satisfies Record<string, Refused>;

export function badRequest(reason: string): Refused {
  return { status: 400, detail: `SubCode=40000. ${reason}` };
}

export function notSupported(reason: string): Refused {
  return { status: 501, detail: reason };
}

export function isRefused(result: object): result is Refused {
  return "status" in result && "detail" in result;
}
