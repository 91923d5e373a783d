import type { ApplicationOptions } from './application.ts';
import { readEnvironment } from './environment.ts';
import { VENDOR_HOSTS } from './relay/targets.ts';
import { type RunningServer, startServer } from './running-server.ts';
import { createEspeakEngine } from './speech/espeak/espeak-engine.ts';
import { startScriptedServer } from './speech/openai/scripted-server.test-helper.ts';
import { createTestEngine } from './test-engine.test-helper.ts';

const TAKES_DETOUR = process.env.VOICEWIRE_TEST_DETOUR !== undefined;

type Options = Partial<ApplicationOptions>;

/**
 * A server with the real engine, unless another one is given. In the test project `detour` it speaks through a speech
 * server, behind the relay of a second one and behind faults that change nothing.
 */
export async function startTestServer(options: Options = {}): Promise<RunningServer> {
  const server = await startOneServer(options);
  if (!TAKES_DETOUR) return server;
  const relay = await startRelayTo(server);
  const behindFaults = (address: string) => address.replace(/\/relay$/, '/faults/seed=1/relay');
  return {
    ws: behindFaults(relay.ws),
    http: behindFaults(relay.http),
    application: server.application,
    async stop() {
      await server.stop();
      await relay.stop();
    },
  };
}

/** A server that relays to another one. Its addresses are those of the relay. */
export async function startRelayTo(target: RunningServer, options: Options = {}): Promise<RunningServer> {
  const vendors = Object.keys(VENDOR_HOSTS);
  const relays = Object.fromEntries(vendors.map((vendor) => [vendor, new URL(`${target.ws}/${vendor}`)]));
  const relay = await startOneServer({ engine: createTestEngine(), relays, ...options });
  return { ...relay, ws: `${relay.ws}/relay`, http: `${relay.http}/relay` };
}

async function startOneServer(parts: Options): Promise<RunningServer> {
  const variables = { PORT: '0', LOG_LEVEL: 'silent' };
  if (parts.engine) return startServer(readEnvironment(variables), parts);
  if (TAKES_DETOUR) return startWithSpeechServer(variables, parts);
  const engine = await createEspeakEngine({ threads: 1 });
  return startServer(readEnvironment(variables), { ...parts, engine });
}

/** A server that speaks through a speech server, which ends with it. */
async function startWithSpeechServer(
  variables: Readonly<Record<string, string>>,
  parts: Partial<ApplicationOptions>,
): Promise<RunningServer> {
  const speech = await startScriptedServer();
  const openai = { VOICEWIRE_ENGINE: 'openai', VOICEWIRE_OPENAI_URL: speech.settings().url.href };
  const server = await startServer(readEnvironment({ ...variables, ...openai }), parts);
  return {
    ...server,
    async stop() {
      await server.stop();
      await speech.stop();
    },
  };
}
