/** A part of a form, between two boundaries. */
export interface FormPart {
  /** Of its `Content-Disposition`; empty without one. */
  name: string;
  /** Its headers with the empty line behind them. */
  head: Buffer;
  value: Buffer;
}

/** No form of a vendor has as many, nor headers or a boundary as long (RFC 2046 allows 70 characters). */
const MAX_PARTS = 1000;
const MAX_HEAD_BYTES = 8 * 1024;
const MAX_BOUNDARY_CHARS = 200;
const END_OF_HEAD = '\r\n\r\n';

/** Splits a multipart body in one pass. Null without a boundary, and for a body of more than any form has. */
export function formParts(body: Buffer, boundary: string | null): readonly FormPart[] | null {
  if (boundary === null || boundary === '' || boundary.length > MAX_BOUNDARY_CHARS) return null;
  const delimiter = `--${boundary}`;
  const parts: FormPart[] = [];
  for (let start = 0; start <= body.length; ) {
    const found = body.indexOf(delimiter, start, 'latin1');
    const end = found < 0 ? body.length : found;
    if (parts.length === MAX_PARTS) return null;
    parts.push(partOf(body.subarray(start, end)));
    start = found < 0 ? Number.POSITIVE_INFINITY : end + delimiter.length;
  }
  return parts;
}

function partOf(part: Buffer): FormPart {
  const end = part.subarray(0, MAX_HEAD_BYTES).indexOf(END_OF_HEAD, 0, 'latin1');
  const length = end < 0 ? 0 : end + END_OF_HEAD.length;
  const head = part.subarray(0, length);
  return { name: nameIn(head.toString('latin1')), head, value: part.subarray(length) };
}

/** Parameters of a header, in quotes or not. A parameter ends before the next one begins, so that the search is linear. */
const PARAMETER = /;[ \t]*([\w*-]+)=(?:"([^"\r\n]*)"|([^;\s"]*))/g;

function nameIn(head: string): string {
  const line = head.split('\r\n').find((each) => /^content-disposition:/i.test(each)) ?? '';
  for (const [, parameter, quoted, plain] of line.matchAll(PARAMETER)) {
    if (parameter?.toLowerCase() === 'name') return quoted ?? plain ?? '';
  }
  return '';
}
