import { wordList } from '#lib/word-list.ts';

/** Schemes of a key and of a short-lived token, in the header and as the first subprotocol (`facts-deepgram 1.2`). */
const SCHEMES = wordList('token bearer');
export type Scheme = (typeof SCHEMES)[number];

/** A token (JWT) has three parts with dots between (`facts-deepgram 12` B3). */
const isToken = (secret: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(secret);

export const schemeOf = (secret: string): Scheme => (isToken(secret) ? 'bearer' : 'token');

export const isScheme = (word: string): word is Scheme => SCHEMES.some((each) => each === word.toLowerCase());
