import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { parseAccept } from 'hono/utils/accept';
import sirv from 'sirv';
import { NONCE_PLACEHOLDER } from '#lib/page-nonce.ts';
import { BOOK_POLICY, type PageOrigins, pagePolicy } from './headers.ts';
import type { Handler } from './reply.ts';

const PAGE_PATHS = new Set(['/', '/index.html']);
/** Also in the forms that the build has compressed. */
const IS_HTML = /\.html?(?:\.(?:br|gz))?$/i;
/** The pages of the protocol book. */
const IS_BOOK = /^\/protocols\/\w+\.html$/;
const HASHED = /^\/assets\//;

/** 128 random bits, which cannot be guessed. */
export const newNonce = (): string => randomBytes(16).toString('base64url');

/** @param directory directory of the built page, which may be rebuilt meanwhile @param extra see `PageOrigins` */
export function staticFiles(directory: string, extra: PageOrigins['extra']): Handler {
  const files = sirv(directory, {
    // Reads the disk each time, because a cached list breaks once the page is rebuilt.
    dev: true,
    etag: true,
    // The build writes both forms beside each file that they make smaller.
    brotli: true,
    gzip: true,
    extensions: [],
    setHeaders(response, pathname) {
      // Without an encoding, browsers do not read text as UTF-8.
      if (pathname.endsWith('.txt')) response.setHeader('Content-Type', 'text/plain; charset=utf-8');
      if (IS_BOOK.test(pathname)) response.setHeader('Content-Security-Policy', BOOK_POLICY);
      if (HASHED.test(pathname)) response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    },
  });
  return async (request, response, url, next) => {
    const path = normalPath(url.pathname);
    if (path === null || !PAGE_PATHS.has(path)) {
      // What has no policy may not be served as HTML.
      if (path === null || (IS_HTML.test(path) && !IS_BOOK.test(path))) return next();
      request.url = encodeURI(path);
      // Files are small and are sent whole, which RFC 9110 allows for any range.
      delete request.headers.range;
      request.headers['accept-encoding'] = acceptedEncodings(request.headers['accept-encoding']);
      // An answer without a body must name it too, or a cache may keep one encoding for all clients.
      response.setHeader('Vary', 'Accept-Encoding');
      return files(request, response, next);
    }
    const page = await readFile(join(directory, 'index.html'), 'utf8').catch(() => null);
    if (page === null) return next();
    const nonce = newNonce();
    const body = page.replaceAll(NONCE_PLACEHOLDER, nonce);
    response.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': pagePolicy(nonce, { host: request.headers.host ?? '', extra }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

/** Removes refused encodings, because the file handler looks for names only. */
const acceptedEncodings = (header = ''): string =>
  parseAccept(header)
    .filter(({ q }) => q > 0)
    .map(({ type }) => type)
    .join();

/** A path as the file system reads it: decoded, without empty or dotted parts; null if it cannot be decoded. */
function normalPath(pathname: string): string | null {
  try {
    return posix.normalize(decodeURIComponent(pathname)).replace(/(?<=.)\/$/, '');
  } catch {
    return null;
  }
}
