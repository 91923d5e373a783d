import { BlockList, isIP } from 'node:net';

/** Ours: the vendor names no limit. */
const MAX_WEBHOOK_CHARS = 2048;

/** Addresses that are not on the internet. */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv6');
}

/** Names of this machine, of a local network, and of the vendor. */
const INTERNAL_NAME = /(^|\.)(localhost|local|internal|murmr\.dev)$/;

/**
 * Returns what a webhook's address should have been; null for a good one. Nothing is ever sent there, but a client
 * finds its mistakes.
 */
export function webhookProblem(text: string): string | null {
  if (text.length > MAX_WEBHOOK_CHARS) return `at most ${MAX_WEBHOOK_CHARS} characters`;
  if (!URL.canParse(text)) return 'an https address';
  const { protocol, hostname } = new URL(text);
  if (protocol !== 'https:') return 'an https address';
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  const version = isIP(host);
  const isInside =
    version === 0
      ? INTERNAL_NAME.test(host) || !host.includes('.')
      : PRIVATE.check(host, version === 4 ? 'ipv4' : 'ipv6');
  return isInside ? 'a host on the internet' : null;
}
