// Starts `dalembert lsp` for model files. All knowledge of the language is in that command.
const { window, workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

async function activate() {
  const command = workspace.getConfiguration("dalembert").get("command", "dalembert");
  const server = { command, args: ["lsp"], transport: TransportKind.stdio };
  client = new LanguageClient("dalembert", "Dalembert", server, { documentSelector: [{ language: "dal" }] });
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`${command} lsp does not start (${error.message}). The setting dalembert.command says where it is.`);
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
