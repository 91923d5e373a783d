/** A key that opens one connection, made by a server of the person's own (`facts-elevenlabs 1.5.5`). */
export const TOKEN = { prefix: 'sutkn_', name: 'single_use_token' } as const;

/** The key for messages and calls; empty for a token, which is in the address alone. */
export const accountKey = (key: string): string => (key.startsWith(TOKEN.prefix) ? '' : key);
