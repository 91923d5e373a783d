import { endpointNamed } from '#protocol/registry.ts';
import type { CapturedClient } from '#trace/capture-messages.ts';
import { restApiOf } from '#trace/rest-calls.ts';

/** Another client of the server, as the page lists it. */
export interface ClientView extends CapturedClient {
  /** Its recording; null where nobody has opened it. */
  recording: string | null;
}

/** Browsers and SDKs append a long list of what they are compatible with. */
const MAX_PROGRAM_CHARS = 40;

/** Returns the beginning of a `User-Agent`, cut between words where possible. */
function programOf({ program }: Pick<CapturedClient, 'program'>): string {
  if (program.length <= MAX_PROGRAM_CHARS) return program === '' ? 'A program' : program;
  const cut = program.slice(0, MAX_PROGRAM_CHARS);
  const blank = cut.lastIndexOf(' ');
  return `${blank > 0 ? cut.slice(0, blank) : cut} …`;
}

/** Returns the title of its endpoint, or its path where the page does not know the endpoint. */
const endpointTitleOf = ({ endpoint, address }: Pick<CapturedClient, 'endpoint' | 'address'>): string =>
  endpointNamed(endpoint)?.title ??
  restApiOf(endpoint)?.title ??
  (URL.canParse(address) ? new URL(address).pathname : address);

/** Returns the name of a client's recording until a person gives it another one. */
export const clientName = (client: Pick<CapturedClient, 'program' | 'endpoint' | 'address'>): string =>
  `${programOf(client)} on ${endpointTitleOf(client)}`;
