import { describeFaultProblem, parseFaults } from '#protocol/faults/fault-spec.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS, VENDORS, vendorOf } from '#protocol/registry.ts';
import { CommandError } from './command-error.ts';

/** Returns the value of an option that is one of a list. @throws CommandError that names the list */
export function oneOf<T extends string>(option: string, text: string, allowed: readonly T[]): T {
  const value = allowed.find((one) => one === text);
  if (value !== undefined) return value;
  throw new CommandError(`--${option}: expected one of ${allowed.join(', ')}, got ${text}`);
}

/** The option `--endpoint` of commands that read HAR files, whose addresses may be those of a gateway. */
export const ENDPOINT_OPTION = {
  type: 'string',
  value: 'NAME',
  help: 'endpoint of WebSockets at addresses of none in a HAR file, and of a recording without one',
} as const;

/** Returns the registry name in {@link ENDPOINT_OPTION}; null without one. @throws CommandError that names all */
export const askedEndpoint = (name: string | undefined): string | null =>
  name === undefined
    ? null
    : oneOf(
        'endpoint',
        name,
        ENDPOINTS.map(({ id }) => id),
      );

/** The option `--root` of commands that start a server for a program. */
export const ROOT_OPTION = {
  type: 'string',
  value: 'VENDOR',
  help: 'answer a vendor without its prefix as well, for a program that drops the path of its base URL',
} as const;

/** Returns the vendor in {@link ROOT_OPTION}. @throws CommandError that names all */
export const askedRoot = (vendor: string): string => oneOf('root', vendor, VENDORS);

/** Path of a server with these faults; empty for none. @throws CommandError that says where the text is wrong */
export function faultPath(spec: string): string {
  if (spec === '') return '';
  // Of all vendors. A vendor refuses the names of another one itself.
  const errors = [...new Set(ENDPOINTS.flatMap((each) => protocolOf(each).failures.errors))];
  const read = parseFaults(spec, errors);
  if ('problem' in read) throw new CommandError(`--faults: ${describeFaultProblem(read.problem)}`);
  return `/faults/${spec}`;
}

/** The variable with the base address of a vendor. */
export const addressVariable = (vendor: string): string => `VOICEWIRE_${vendor.toUpperCase()}_URL`;

/** Environment of a command: `VOICEWIRE_URL` is the base before the vendor's prefix. */
export function addressesOf(origin: string, faults: string, relay: string | null): Record<string, string> {
  const base = `${origin}${faults}`;
  return {
    VOICEWIRE_URL: relay === null ? base : `${base}/relay`,
    ...Object.fromEntries(
      ENDPOINTS.flatMap((endpoint) => {
        const { localPrefix, addressVariables } = endpoint;
        const vendor = vendorOf(endpoint);
        const address = `${base}${relay === vendor ? '/relay' : ''}${localPrefix}`;
        return [addressVariable(vendor), ...addressVariables].map((name) => [name, address]);
      }),
    ),
  };
}
