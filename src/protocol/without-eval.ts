import { config } from 'zod';

/**
 * Keeps the validator from trying whether it may compile code: the page's policy forbids it, and the browser reports
 * every try. Imported first, because schemas try when they are made.
 */
config({ jitless: true });
