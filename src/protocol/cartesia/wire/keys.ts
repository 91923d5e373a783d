/** A short-lived token, made by a server of the person's own with its key (`facts-cartesia`, A6, H6). */
export const TOKEN = { prefix: 'eyJ', name: 'access_token' } as const;

/** In the query of a connection, because browsers cannot set headers (A7). */
export const KEY_PARAMETER = 'api_key';
