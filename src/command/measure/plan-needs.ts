import type { Plan } from '#benchmark/plan.ts';
import { endpointOf } from '#protocol/registry.ts';

/** The keys that a plan names, out of the environment, and a sentence for each that is not there. */
export function keysOf(
  plan: Plan,
  environment: Readonly<Record<string, string | undefined>>,
): { found: Record<string, string>; missing: string[] } {
  const found: Record<string, string> = {};
  const missing: string[] = [];
  const asked = plan.configurations.map(({ name, endpoint, server, keyFrom }) => {
    const known = endpointOf(endpoint).servers.find(({ id }) => id === server);
    return { name, keyFrom, needsKey: known?.needsKey ?? false };
  });
  if (plan.transcription) asked.push({ ...plan.transcription, name: 'The transcription', needsKey: false });
  for (const { name, keyFrom, needsKey } of asked) {
    if (keyFrom === null) {
      if (needsKey) {
        missing.push(`${name} needs a key: name the environment variable that holds it in keyFrom.`);
      }
      continue;
    }
    const key = environment[keyFrom]?.trim() ?? '';
    if (key === '') missing.push(`${name} takes its key from ${keyFrom}, which is not set.`);
    else found[keyFrom] = key;
  }
  return { found, missing };
}

/** Origins that the page must be allowed besides this machine and the vendors, comma-separated. */
export function hostsToAdmit(plan: Plan, already: string | undefined): string {
  const typed = plan.configurations.flatMap(({ endpoint, server }) =>
    endpointOf(endpoint).servers.some(({ id }) => id === server) ? [] : [server],
  );
  const addresses = [...typed, ...(plan.transcription ? [plan.transcription.base] : [])].flatMap(
    (address) => {
      const { protocol, host, hostname } = new URL(address);
      if (hostname === 'localhost' || hostname === '127.0.0.1') return [];
      return [`${protocol}//${host}`, `${protocol.replace('ws', 'http')}//${host}`];
    },
  );
  return [...new Set([...(already ? already.split(',') : []), ...addresses])].join(',');
}
