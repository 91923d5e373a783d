/** Returns the function with a memory of its last call: the same arguments, by identity, give the same result. */
export function memoiseLast<Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  let last: { args: Args; result: Result } | null = null;
  return (...args) => {
    if (!last?.args.every((arg, at) => Object.is(arg, args[at]))) last = { args, result: compute(...args) };
    return last.result;
  };
}
