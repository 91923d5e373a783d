/**
 * Stands in the built page wherever a nonce belongs. Our server writes a fresh one there with each response; any other
 * leaves it as it is, by which the page knows that it is served without one of ours.
 */
export const NONCE_PLACEHOLDER = 'VOICEWIRE_PAGE_NONCE';
