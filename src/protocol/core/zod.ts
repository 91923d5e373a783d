import * as z from 'zod/mini';

/**
 * The validator without code compilation, because the page's policy forbids it and the browser reports every attempt. All
 * schemas import it from here, so that no bundle creates one before this is configured.
 */
z.config({ jitless: true });

export { z };
