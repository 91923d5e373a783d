import { describe, expect, it } from 'vitest';
import { comparedBody } from './compared-body.ts';
import { formParts } from './form-parts.ts';

const keyOf = async (body: string | Buffer, type = 'application/json') =>
  (await comparedBody(Buffer.from(body as string), type)).key;

const FORM = 'multipart/form-data; boundary="b"';
const part = (head: string, value: string) => `--b\r\n${head}\r\n\r\n${value}\r\n`;
const field = (name: string, value: string) => part(`Content-Disposition: form-data; name=${name}`, value);

describe('bodies that mean the same', () => {
  it.each([
    [
      'JSON in another order',
      '{"a":{"b":1,"c":[2]},"d":3}',
      '{ "d":3, "a":{"c":[2],"b":1} }',
      'application/json',
    ],
    ['JSON with another key', '{"api_key":"one","a":1}', '{"api_key":"two","a":1}', 'application/json'],
    ['a form with another key', field('"api_key"', 'one'), field('"api_key"', 'two'), FORM],
    ['a form whose name has no quotes', field('api_key', 'one'), field('api_key', 'two'), FORM],
    ['a form with a key of two lines', field('"token"', 'one\r\ntwo'), field('"token"', 'three'), FORM],
    [
      'a form with another boundary',
      field('"a"', '1'),
      field('"a"', '1').replaceAll('--b', '--cc'),
      FORM,
      'multipart/form-data; boundary=cc',
    ],
  ])('have one key: %s', async (_, a, b, type, otherType = type) => {
    expect(await keyOf(a, type)).toBe(await keyOf(b, otherType));
  });

  it.each([
    ['{"a":1}', '{"a":"1"}', 'application/json'],
    ['{"a":[1,2]}', '{"a":[2,1]}', 'application/json'],
    ['{"__proto__":1}', '{"__proto__":2}', 'application/json'],
    ['[{"fields":[["a",1]]}]', '[{"a":1}]', 'application/json'],
    [field('"a"', 'one'), field('"a"', 'two'), FORM],
    [field('"a"; filename="; name=token"', 'one'), field('"a"; filename="; name=token"', 'two'), FORM],
    ['x'.repeat(2 ** 20 + 1), `${'x'.repeat(2 ** 20)}y`, 'text/plain'],
    [field('"f"', 'x'.repeat(2 ** 17)), field('"f"', `${'x'.repeat(2 ** 17 - 1)}y`), FORM],
  ])('and others have other ones (%#)', async (a, b, type) => {
    expect(await keyOf(a, type)).not.toBe(await keyOf(b, type));
  });
});

it('names no key', async () => {
  for (const [body, type] of [
    [field('"api_key"', 'sk-secret'), FORM],
    ['{"api_key":"sk-secret"}', 'application/json'],
    ['api_key=sk-secret', 'application/x-www-form-urlencoded'],
  ] as const) {
    const { key, words } = await comparedBody(Buffer.from(body), type);
    expect(key + words).not.toContain('sk-secret');
  }
});

describe('a form', () => {
  it('is read part by part', () => {
    const read = formParts(Buffer.from(`${field('"a"', '1')}${field('"b"', '2')}--b--\r\n`), 'b');
    expect(read?.map(({ name, value }) => [name, String(value)])).toEqual([
      ['', ''],
      ['a', '1\r\n'],
      ['b', '2\r\n'],
      ['', '--\r\n'],
    ]);
  });

  /** Shapes that a search for the end of headers would read again and again. */
  it.each([
    ['; name="a"\r\n', 1],
    ['--b', null],
    ['--b\r\nContent-Disposition: form-data; name="a', null],
    ['\r\n', 1],
    ['; name=', 1],
    [`--b\r\n${'; name="a"\r\n'.repeat(4000)}`, 22],
  ])('of a megabyte of %j has few parts, or is none', (shape, parts) => {
    const body = Buffer.from(shape.repeat(Math.ceil(2 ** 20 / shape.length)));
    expect(formParts(body, 'b')?.length ?? null).toBe(
      parts === 22 ? Math.ceil(2 ** 20 / shape.length) + 1 : parts,
    );
  });

  it('holds the bytes of its parts, and no copy', () => {
    const body = Buffer.from(field('"a"', 'x'.repeat(2 ** 20)));
    expect(formParts(body, 'b')?.every(({ value }) => value.buffer === body.buffer)).toBe(true);
  });
});
