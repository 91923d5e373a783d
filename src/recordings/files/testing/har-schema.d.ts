/** The package brings no types: JSON schemas by name, that of a whole file being `har`. */
declare module 'har-schema' {
  const schemas: Readonly<Record<string, { $id: string }>>;
  export default schemas;
}
