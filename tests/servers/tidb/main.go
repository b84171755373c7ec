// Command tidb serves one TiDB in one process, for tests, benchmarks and the demo.
//
// The storage is the embedded unistore, in memory or in -path, so a server is
// up in about a second and needs neither PD nor TiKV.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pingcap/tidb/pkg/config"
	"github.com/pingcap/tidb/pkg/kv"
	"github.com/pingcap/tidb/pkg/server"
	"github.com/pingcap/tidb/pkg/session"
	"github.com/pingcap/tidb/pkg/sessionctx/vardef"
	"github.com/pingcap/tidb/pkg/store/mockstore"
	"github.com/pingcap/tidb/pkg/util/logutil"
)

func main() {
	port := flag.Uint("port", 4000, "TCP port on 127.0.0.1")
	socket := flag.String("socket", "", "Unix socket; none when empty")
	path := flag.String("path", "", "data directory; in memory when empty")
	flag.Parse()
	if err := serve(*port, *socket, *path); err != nil {
		fmt.Fprintln(os.Stderr, "tidb:", err)
		os.Exit(1)
	}
}

func serve(port uint, socket, path string) error {
	cfg := config.NewConfig()
	cfg.Host = "127.0.0.1"
	cfg.Port = port
	cfg.Socket = socket
	cfg.Status.ReportStatus = false
	cfg.Log.Level = "warn"
	cfg.Log.SlowQueryFile = "" // slow queries go where the log goes, not into a file of the current folder
	// No statistics of tables: nobody asks for them here, and they take a sixth of the processor's time of many small tables.
	cfg.Instance.TiDBEnableStatsOwner.Store(false)
	vardef.SetStatsLease(0)
	// As tidb-server has it: with the package's second a busy machine finds its schema out of date (8027).
	vardef.SetSchemaLease(45 * time.Second)
	config.StoreGlobalConfig(cfg)
	if err := logutil.InitLogger(cfg.Log.ToLogConfig()); err != nil {
		return err
	}
	// As tidb-server does: what bounds a transaction is the memory quota of its session.
	kv.TxnTotalSizeLimit.Store(config.SuperLargeTxnSize)

	options := []mockstore.MockTiKVStoreOption{mockstore.WithStoreType(mockstore.EmbedUnistore)}
	if path != "" {
		options = append(options, mockstore.WithPath(path))
	}
	store, err := mockstore.NewMockStore(options...)
	if err != nil {
		return err
	}
	defer store.Close()
	domain, err := session.BootstrapSession(store)
	if err != nil {
		return err
	}
	defer domain.Close()

	srv, err := server.NewServer(cfg, server.NewTiDBDriver(store))
	if err != nil {
		return err
	}
	srv.SetDomain(domain)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-signals
		srv.Close()
	}()
	return srv.Run(nil)
}
