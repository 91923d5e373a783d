/** The path of a browser that is already there, or undefined; throws on a wrong CHROMIUM_PATH. */
export function executablePath(): string | undefined;
