/** Not the port of `npm start`, so that the tests run beside a server in use; `E2E_PORT` is for a second run of them. */
export const PORT = Number(process.env.E2E_PORT ?? 4183);

/** Where the relay of the tests' server goes. The test that needs it starts a server there. */
export const RELAYED_PORT = PORT + 1;
