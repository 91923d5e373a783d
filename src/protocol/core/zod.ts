import { config, z } from 'zod';

/**
 * The validator, kept from trying whether it may compile code: the page's policy forbids it, and the browser reports
 * every try. Schemas take it from here and never from the package, so that no bundle can make one before this is set.
 */
config({ jitless: true });

export { z };
