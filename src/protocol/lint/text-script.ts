import { remember } from '#lib/collections/maps.ts';
import { foreignScript } from '#lib/text/scripts.ts';
import { type Fields, isFields, parseBounded } from '../core/json-frame.ts';
import type { LintFrame } from '../core/rule.ts';
import { LANGUAGE_FIELD, languageCodeOf } from '../core/text-language.ts';

const TEXT_FIELDS = ['text', 'transcript'] as const;
/** Contexts of a connection whose language is remembered. */
const MAX_CONTEXTS = 64;
/** Messages with one of these are read. Any character that is not Latin, also as an escape. */
const WORTH_READING = /"(?:language(?:[_-]code)?|locale|close[_-]context)"|[\u0370-\uffff]|\\u[0-9a-f]{4}/i;
/** Fields that name the context of a message, and that end it. */
const CONTEXT_FIELD = /^context[_-]id$/;
const CLOSE_FIELD = /^close[_-]context$/;
/** The end of a model's name that is of one language. */
const LANGUAGE_OF_MODEL = /-([a-z]{2})$/;

/** Finds texts in a script that the language of their connection is not written in. */
export class TextScript {
  #language: string | undefined;
  /** By context; undefined where it is no text. */
  readonly #languages = new Map<unknown, string | undefined>();

  /** @param address of the connection; null for an unknown one */
  constructor(address: string | null) {
    const searchParams = new URLSearchParams(/\?([^#]*)/.exec(address ?? '')?.[1]);
    const given = [...searchParams].find(([name]) => LANGUAGE_FIELD.test(name))?.[1];
    this.#language = given === undefined ? undefined : languageCodeOf(given);
    this.#language ??= LANGUAGE_OF_MODEL.exec(searchParams.get('model') ?? '')?.[1];
  }

  /** Returns the language that is asked for in a context; undefined for none. */
  languageOf(context: string | null): string | undefined {
    return this.#languages.get(context ?? undefined) ?? this.#language;
  }

  /** Returns the fault of a client's message and its field; null for none. */
  sent({ payload }: Pick<LintFrame, 'payload'>): { message: string; field: string } | null {
    if (typeof payload !== 'string' || !WORTH_READING.test(payload)) return null;
    const read = parseBounded(payload);
    if (!('fields' in read)) return null;
    const { fields } = read;
    const context = fieldLike(fields, CONTEXT_FIELD);
    const given = languageIn(fields);
    const field = TEXT_FIELDS.find((name) => typeof fields[name] === 'string' && fields[name].trim() !== '');
    const known = this.#languages.has(context) ? this.#languages.get(context) : this.#language;
    const language = given === null ? known : given.language;
    if (fieldLike(fields, CLOSE_FIELD) === true) this.#languages.delete(context);
    else if (given && context !== undefined) remember(this.#languages, context, language, MAX_CONTEXTS);
    // Beside a text, it may be that of the text alone.
    else if (given && field === undefined) this.#language = language;
    if (field === undefined) return null;
    const script = language === undefined ? undefined : foreignScript(String(fields[field]), language);
    return script === undefined
      ? null
      : { message: `expected a text in the script of ${language}, got ${script}`, field };
  }
}

const fieldLike = (fields: Fields, pattern: RegExp): unknown =>
  Object.entries(fields).find(([name]) => pattern.test(name))?.[1];

/** Returns the language that a message names, undefined where it is no text; null where it names none. */
function languageIn(fields: Fields): { language: string | undefined } | null {
  for (const nested of [fields, ...Object.values(fields).filter(isFields)]) {
    const given = Object.entries(nested).find(([name]) => LANGUAGE_FIELD.test(name));
    if (given) return { language: typeof given[1] === 'string' ? languageCodeOf(given[1]) : undefined };
  }
  return null;
}
