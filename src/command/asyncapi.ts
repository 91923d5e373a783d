import { asyncapiOf } from '#protocol/asyncapi.ts';
import { ENDPOINTS, endpointNamed } from '#protocol/registry.ts';
import { loadRules } from '#protocol/rules.ts';
import { command } from './command.ts';
import { CommandError, EXIT } from './command-error.ts';

/** `voicewire asyncapi ENDPOINT`; see `docs/own-client.md`. */
export const asyncapiCommand = command({
  usage: 'voicewire asyncapi ENDPOINT',
  about: `Prints the AsyncAPI 3 document of an endpoint: its addresses, and the messages of both sides as JSON Schema. The
server answers it at /asyncapi/ENDPOINT.json.`,
  options: {},
  async run(_, [name, ...others]) {
    const endpoint = endpointNamed(name);
    if (!endpoint || others.length > 0) {
      const names = ENDPOINTS.map(({ id }) => id).join(', ');
      throw new CommandError(
        `Expected one endpoint of ${names}, got ${[name, ...others].join(' ') || 'none'}.`,
      );
    }
    await loadRules([endpoint]);
    process.stdout.write(`${JSON.stringify(asyncapiOf(endpoint), null, 2)}\n`);
    return EXIT.good;
  },
});
