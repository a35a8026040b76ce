// boardgame.io with the game of game.py: node boardgame.cjs PORT [FOLDER]; with a folder it stores matches as flat files.
'use strict';
const { FlatFile, Server } = require('boardgame.io/server');

const MOVES = 100; // as in game.py

const game = {
  name: 'one-die',
  minPlayers: 2,
  maxPlayers: 2,
  disableUndo: true,
  setup: () => ({ made: 0, points: [0, 0] }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    roll: {
      client: false, // the die is the server's
      move: ({ G, playerID, random }) => {
        G.points[Number(playerID)] += random.D6();
        G.made += 1;
      },
    },
  },
  endIf: ({ G }) => (G.made < MOVES ? undefined : { points: G.points }),
};

const [port, folder] = process.argv.slice(2);
const storage = folder ? { db: new FlatFile({ dir: folder }) } : {};
Server({ games: [game], origins: ['*'], ...storage }).run(Number(port));
